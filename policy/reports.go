package policy

import "fmt"

var reportShape = shape{keys: []string{"query", "alert", "description"}}

func (r *reader) reports(f field) []*Report {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"reports"`, shape{})
	var reports []*Report
	for _, name := range m.order {
		if report := r.report(m.fields[name], name); report != nil {
			reports = append(reports, report)
		}
	}
	return reports
}

func (r *reader) report(f field, name string) *Report {
	r.named(f, name, "report")
	m, ok := r.mapping(f, fmt.Sprintf("report %q", name), reportShape)
	if !ok {
		return nil
	}
	report := &Report{Name: name, Position: r.at(f.key), Description: r.description(m)}
	if query, ok := m.require("query"); ok {
		if e, _ := r.query(query, scope{}); e != nil {
			report.Query = *e
		}
	}
	if alert, ok := m.fields["alert"]; ok {
		report.Alert = r.expression(alert, scope{names: []string{"report"}})
	}
	return report
}
